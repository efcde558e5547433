// Container images: the files that a container sees, and the layers that they come from.
#include "unit/input/archives.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;
using namespace cag::test;

namespace {

std::string quoted(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) {
        list += (list.empty() ? "\"" : ", \"") + text + '"';
    }
    return list;
}

// What docker save writes: layers from the bottom to the top.
std::string image_of(const std::vector<std::vector<Member>>& layers, const std::string& config = "{}") {
    std::vector<Member> parts{{"config.json", config}};
    std::vector<std::string> names;
    for (const auto& members : layers) {
        names.push_back(std::to_string(names.size()) + "/layer.tar");
        parts.emplace_back(names.back(), archive_of("ustar", members));
    }
    parts.emplace_back("manifest.json", R"([{"Config": "config.json", "Layers": [)" + quoted(names) + "]}]");
    return archive_of("ustar", parts);
}

std::vector<std::string> names_in(const std::string& image) {
    const Folder folder;
    folder.write("i.tar", image);
    const Seen seen = walk(folder, {"i.tar"});
    CHECK(seen.problems.empty());
    std::vector<std::string> names;
    for (const auto& [name, content] : seen.files) {
        names.push_back(name.substr(6));
    }
    return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("the topmost version of a file is the one that counts") {
    CHECK(names_in(image_of({{{"a.so", "CODE old"}, {"b.so", "CODE"}}, {{"a.so", "CODE new"}}})) ==
          Names{"1/layer.tar!a.so", "0/layer.tar!b.so"});
    // Names with and without "./" and "/" are the same file.
    CHECK(names_in(image_of({{{"./lib/a.so", "CODE"}}, {{"lib/a.so", "CODE"}}})) == Names{"1/layer.tar!lib/a.so"});
}

TEST_CASE("whiteouts hide what lies below, not what lies beside them or above") {
    CHECK(names_in(image_of({{{"a.so", "CODE"}, {"b.so", "CODE"}}, {{".wh.a.so", ""}}})) == Names{"0/layer.tar!b.so"});
    CHECK(names_in(image_of({{{"a.so", "CODE"}}, {{".wh.a.so", ""}}, {{"a.so", "CODE"}}})) == Names{"2/layer.tar!a.so"});
    // A whole folder.
    CHECK(names_in(image_of({{{"d/e/a.so", "CODE"}, {"da.so", "CODE"}}, {{".wh.d", ""}}})) == Names{"0/layer.tar!da.so"});
    // Opaque: everything of the folder from below goes, what the layer itself puts there stays.
    CHECK(names_in(image_of({{{"d/old.so", "CODE"}}, {{"d/.wh..wh..opq", ""}, {"d/new.so", "CODE"}}})) == Names{"1/layer.tar!d/new.so"});
}

TEST_CASE("a file that is no library hides a library below it") {
    CHECK(names_in(image_of({{{"a.so", "CODE"}}, {{"a.so", "text"}}})).empty());
    CHECK(names_in(image_of({{{"d/a.so", "CODE"}}, {{"d", "a file where the folder was"}}})).empty());
}

TEST_CASE("the base's layers are told from the image's own") {
    const Folder folder;
    const std::string config = R"({"history": [{"created_by": "ADD rootfs"}, {"created_by": "CMD [\"sh\"]", "empty_layer": true},
                                              {"created_by": "RUN pip install x"}]})";
    folder.write("i.tar", image_of({{{"base.so", "CODE"}}, {{"own.so", "CODE"}}}, config));
    CHECK(walk(folder, {"i.tar"}).origins == Names{"layer 2 of 2: RUN pip install x", "layer 1 of 2 (base): ADD rootfs"});
    // One that ends with its own CMD has no base that would be known.
    folder.write("i.tar",
                 image_of({{{"own.so", "CODE"}}}, R"({"history": [{"created_by": "ADD"}, {"created_by": "CMD", "empty_layer": true}]})"));
    CHECK(walk(folder, {"i.tar"}).origins == Names{"layer 1 of 1: ADD"});
}

TEST_CASE("a layer that an image has several times stands there once, as docker save before release 25 writes it") {
    const std::string layer = archive_of("ustar", {{"a.so", "CODE"}});
    const auto image = [&](const std::string& target) {
        return archive_of("ustar", {{"config.json", "{}"},
                                    {"f0/layer.tar", layer},
                                    {"f1/layer.tar", "LINK " + target},
                                    {"manifest.json", R"([{"Config": "config.json", "Layers": ["f0/layer.tar", "f1/layer.tar"]}])"}});
    };
    CHECK(names_in(image("../f0/layer.tar")) == Names{"f1/layer.tar!a.so"}); // the upper one is what a container sees
    const Folder folder;
    for (const char* nowhere : {"../f2/layer.tar", "../f1/layer.tar", "/etc/passwd", "../../i.tar"}) {
        CAPTURE(nowhere);
        folder.write("i.tar", image(nowhere));
        const Seen seen = walk(folder, {"i.tar"});
        REQUIRE(seen.messages.size() == 1);
        CHECK(seen.messages[0].find("\"f1/layer.tar\" is listed in the image and is not there") != std::string::npos);
        CHECK(seen.files.size() == 1);
    }
}

TEST_CASE("a layer that is not there is a finding, whatever the manifest looks like") {
    const Folder folder;
    folder.write("i.tar", archive_of("ustar", {{"manifest.json", R"([{"Config": "c", "Layers": ["gone.tar"]}])"}}));
    CHECK(walk(folder, {"i.tar"}).problems == Names{"CAG408 i.tar"});
    // An OCI layout whose index names a blob outside of the folder: nothing is read there.
    folder.write("secret", archive_of("ustar", {{"s.so", "CODE"}}));
    folder.write("layout/oci-layout", "{}");
    folder.write("layout/index.json", R"({"manifests": [{"digest": "m"}]})");
    folder.write("layout/blobs/m", R"({"layers": [{"digest": "../../../secret"}]})");
    const Seen seen = walk(folder, {"layout"});
    CHECK(seen.files.empty());
    CHECK(seen.problems == Names{"CAG408 layout"});
}
