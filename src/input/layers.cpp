#include "input/layers.hpp"

#include "input/digest.hpp"
#include "input/file.hpp"
#include "support/parallel.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>

namespace cag {

namespace {

using nlohmann::json;
using Source = std::shared_ptr<const ByteSource>;

constexpr std::string_view blobs = "blobs/";

// "sha256:ab12" -> "blobs/sha256/ab12"
std::string blob_name(std::string digest) {
    std::ranges::replace(digest, ':', '/');
    return std::string(blobs) + digest;
}

// Parts of an image by their names: members of the archive, or files of the folder.
class Parts {
  public:
    using Open = std::function<Source(const std::string& name)>;
    explicit Parts(Open open) : open_(std::move(open)) {}

    // nullptr where there is none.
    Source operator()(const std::string& name) {
        Source source = open_(name);
        if (source && name.starts_with(blobs)) {
            std::string digest = name.substr(blobs.size());
            std::ranges::replace(digest, '/', ':');
            expect(name, std::move(digest));
        }
        return source;
    }

    void expect(const std::string& name, std::string digest) { digests_.insert_or_assign(name, std::move(digest)); }

    // Of every part that was asked for: what is wrong with its bytes.
    [[nodiscard]] std::vector<Problem> check(unsigned threads) const {
        const std::vector<std::pair<std::string, std::string>> parts(digests_.begin(), digests_.end());
        std::vector<Result<void>> results(parts.size());
        parallel_for(parts.size(), threads, [&](std::size_t i) {
            const Source source = open_(parts[i].first);
            results[i] = source ? check_digest(*source, parts[i].second) : Result<void>{};
        });
        std::vector<Problem> problems;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!results[i]) {
                problems.push_back(results[i].error());
                problems.back().message = fmt::format("{}: {}", parts[i].first, problems.back().message);
            }
        }
        return problems;
    }

  private:
    Open open_;
    std::map<std::string, std::string> digests_; // by the parts' names
};

constexpr std::uint64_t most_json = std::uint64_t{4} << 20;

json parse(const Source& source) {
    if (!source) {
        return json::value_t::discarded;
    }
    const auto bytes = ByteView(*source).bytes(most_json, "image manifest");
    if (!bytes) {
        return json::value_t::discarded;
    }
    const auto* text = reinterpret_cast<const char*>(bytes->data());
    return json::parse(text, text + bytes->size(), nullptr, false);
}

std::string text_of(const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string{};
}

const json& array_of(const json& object, const char* key) {
    static const json none = json::array();
    return object.is_object() && object.contains(key) && object[key].is_array() ? object[key] : none;
}

struct Layer {
    std::string name;   // of its part
    std::string origin; // "layer 2 of 5 (base): RUN ..."
};

struct Image {
    std::string config; // name of its part
    std::vector<Layer> layers;
};

// What made each layer, from the history of the configuration. Images that others are built from end with a CMD or ENTRYPOINT, which is an
// entry without a layer: the layers up to the last of these that has layers behind it are the base's.
void describe_layers(Image& image, const json& config) {
    std::vector<std::string> commands;
    std::size_t base = 0;
    std::size_t base_if_more = 0;
    for (const json& step : array_of(config, "history")) {
        const std::string command = text_of(step, "created_by");
        const bool makes_layer = !(step.is_object() && step.contains("empty_layer") && step["empty_layer"] == json(true));
        if (makes_layer) {
            commands.push_back(command);
            base = std::max(base, base_if_more);
        } else if (command.find("CMD") != std::string::npos || command.find("ENTRYPOINT") != std::string::npos) {
            base_if_more = commands.size();
        }
    }
    const bool known = commands.size() == image.layers.size();
    for (std::size_t i = 0; i < image.layers.size(); ++i) {
        image.layers[i].origin = fmt::format("layer {} of {}", i + 1, image.layers.size());
        if (known) {
            image.layers[i].origin += fmt::format("{}: {}", i < base ? " (base)" : "", commands[i]);
        }
    }
}

// docker save before release 25 names layers as it likes. The configuration has the digests of their plain tar archives.
void expect_digests(const Image& image, const json& config, Parts& parts) {
    const json rootfs = config.is_object() && config.contains("rootfs") ? config["rootfs"] : json();
    const json& of_layers = array_of(rootfs, "diff_ids");
    for (std::size_t i = 0; i < image.layers.size() && of_layers.size() == image.layers.size(); ++i) {
        const std::string& name = image.layers[i].name;
        const Source layer = !name.starts_with(blobs) && of_layers[i].is_string() ? parts(name) : nullptr;
        if (layer && is_plain_tar(*layer)) {
            parts.expect(name, of_layers[i].get<std::string>());
        }
    }
}

void add_manifest(const json& manifest, std::vector<Image>& images) {
    Image image;
    image.config = manifest.is_object() && manifest.contains("config") ? blob_name(text_of(manifest["config"], "digest")) : "";
    for (const json& layer : array_of(manifest, "layers")) {
        if (text_of(layer, "mediaType").find("in-toto") == std::string::npos) { // attestations, not files
            image.layers.push_back({blob_name(text_of(layer, "digest")), ""});
        }
    }
    if (!image.layers.empty()) {
        images.push_back(std::move(image));
    }
}

// An index lists manifests and, for several platforms, further indices. Of the platforms, those that nobody fetched are not there.
void add_index(const json& index, Parts& parts, bool is_platform, unsigned depth, std::vector<Image>& images) {
    for (const json& entry : array_of(index, "manifests")) {
        const std::string name = blob_name(text_of(entry, "digest"));
        const Source source = parts(name);
        const json document = parse(source);
        if (!document.is_object() && (source || !is_platform)) {
            images.push_back({"", {{name, ""}}}); // read like a layer, it says what is wrong with it
        } else if (document.is_object() && document.contains("manifests") && depth > 0) {
            add_index(document, parts, true, depth - 1, images);
        } else {
            add_manifest(document, images);
        }
    }
}

std::vector<Image> read_images(Parts& parts) {
    std::vector<Image> images;
    const json saved = parse(parts("manifest.json"));
    if (saved.is_array()) {
        for (const json& entry : saved) {
            Image image;
            image.config = text_of(entry, "Config");
            for (const json& layer : array_of(entry, "Layers")) {
                image.layers.push_back({layer.is_string() ? layer.get<std::string>() : "", ""});
            }
            images.push_back(std::move(image));
        }
    } else {
        add_index(parse(parts("index.json")), parts, false, 3, images);
    }
    for (Image& image : images) {
        const json config = parse(parts(image.config));
        describe_layers(image, config);
        expect_digests(image, config, parts);
    }
    return images;
}

// What the layers above hide. Names are relative, without "./".
class Hidden {
  public:
    // Whether a layer's member is seen. What it hides in the layers below counts once the layer is closed.
    bool sees(const std::string& member) {
        std::string name = member;
        while (name.starts_with("./") || name.starts_with('/')) {
            name.erase(0, name.starts_with('/') ? 1 : 2);
        }
        const bool is_folder = name.ends_with('/');
        if (is_folder) {
            name.pop_back();
        }
        const auto slash = name.rfind('/');
        const std::string folder = slash == std::string::npos ? "" : name.substr(0, slash);
        const std::string last = slash == std::string::npos ? name : name.substr(slash + 1);
        if (last == ".wh..wh..opq") {
            pending_trees_.insert(folder);
            return false;
        }
        if (last.starts_with(".wh.")) {
            pending_trees_.insert(folder.empty() ? last.substr(4) : folder + '/' + last.substr(4));
            pending_files_.insert(folder.empty() ? last.substr(4) : folder + '/' + last.substr(4));
            return false;
        }
        if (!is_folder) {
            pending_files_.insert(name);
        }
        return !files_.contains(name) && !in_hidden_tree(folder);
    }

    void close_layer() {
        files_.merge(pending_files_);
        trees_.merge(pending_trees_);
        pending_files_.clear();
        pending_trees_.clear();
    }

  private:
    [[nodiscard]] bool in_hidden_tree(std::string folder) const {
        // A file in the place of a folder hides what the folder held.
        for (;; folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'))) {
            if (trees_.contains(folder) || files_.contains(folder)) {
                return true;
            }
            if (folder.empty()) {
                return false;
            }
        }
    }

    std::set<std::string> files_;
    std::set<std::string> trees_;
    std::set<std::string> pending_files_;
    std::set<std::string> pending_trees_;
};

// The files of all images, the topmost layer first.
class ImageFiles final : public Collection {
  public:
    ImageFiles(Parts parts, const char* format, std::vector<Image> images, CollectionOptions options)
        : parts_(std::move(parts)), format_(format), images_(std::move(images)), options_(std::move(options)) {
        for (const Image& image : images_) {
            for (const Layer& layer : image.layers) {
                const Source source = parts_(layer.name);
                total_ += source ? source->size() : 0;
            }
        }
    }

    [[nodiscard]] const char* format() const override { return format_; }
    [[nodiscard]] std::vector<Problem> problems() const override { return problems_; }
    // Layers that several images share are read, and count, for each of them.
    [[nodiscard]] Position position() const override { return {passed_ + (layer_ ? layer_->position().passed : 0), total_}; }

    [[nodiscard]] std::optional<Entry> next() override {
        for (;;) {
            if (!layer_ && !open_next()) {
                return std::nullopt;
            }
            if (config_) {
                return std::exchange(config_, std::nullopt);
            }
            if (!layer_) {
                continue;
            }
            if (auto entry = layer_->next()) {
                const Layer& layer = images_[image_].layers[below_];
                entry->name = layer.name + '!' + entry->name;
                entry->origin = layer.origin;
                if (!given_.insert(entry->name).second) {
                    continue; // of a layer that several images share
                }
                return entry;
            }
            for (Problem problem : layer_->problems()) {
                problem.message = fmt::format("{}: {}", images_[image_].layers[below_].name, problem.message);
                problems_.push_back(std::move(problem));
            }
            passed_ += layer_->position().total;
            layer_.reset();
            hidden_.close_layer();
        }
    }

  private:
    // The next layer downwards, or the first of the next image, whose configuration comes first.
    bool open_next() {
        if (!begun_) {
            if (image_ == images_.size()) {
                check_digests();
                return false;
            }
            begun_ = true;
            below_ = images_[image_].layers.size();
            hidden_ = {};
            config_ = config_entry();
            return true;
        }
        if (below_ == 0) {
            begun_ = false;
            ++image_;
            return open_next();
        }
        const Layer& layer = images_[image_].layers[--below_];
        const Source source = parts_(layer.name);
        if (!source) {
            problems_.push_back({"CAG408", fmt::format("{} \"{}\" is listed in the image and is not there", layer.origin, layer.name), {}});
            return true;
        }
        CollectionOptions options = options_;
        options.visible = [this](const std::string& name) { return hidden_.sees(name); };
        if (!options.expansion) {
            options.expansion = std::make_shared<Expansion>(source->size(), options.limits);
        }
        layer_ = open_stream(source, layer.name, options);
        return true;
    }

    // Once, after everything else: what is wrong inside a layer is said first.
    void check_digests() {
        if (!std::exchange(checked_, true)) {
            std::ranges::move(parts_.check(options_.threads), std::back_inserter(problems_));
        }
    }

    [[nodiscard]] std::optional<Entry> config_entry() {
        Source source = options_.wants_text ? parts_(images_[image_].config) : nullptr;
        if (!source) {
            return std::nullopt;
        }
        Entry entry;
        entry.name = images_[image_].config;
        entry.content = Content::text;
        entry.size = source->size();
        entry.origin = "image configuration";
        entry.open = [source = std::move(source)]() -> Result<Source> { return source; };
        return entry;
    }

    Parts parts_;
    const char* format_;
    std::vector<Image> images_;
    CollectionOptions options_;
    std::vector<Problem> problems_;
    std::size_t image_ = 0;
    bool begun_ = false;    // with the image
    bool checked_ = false;  // the digests
    std::size_t below_ = 0; // layers of the image that are not read yet
    std::optional<Entry> config_;
    std::unique_ptr<Collection> layer_;
    Hidden hidden_;
    std::set<std::string> given_;
    std::uint64_t passed_ = 0; // bytes of the layers that were read
    std::uint64_t total_ = 0;
};

using Members = std::map<std::string, TarMember>; // by their names, without "./"

// Where a member's bytes are. docker save before release 25 writes a layer once that an image has several times, as each has that changes
// no file, and symbolic links for the others. nullptr where there are none.
const TarMember* behind_links(const Members& members, std::string name) {
    constexpr int most_links = 8; // they may go in a circle
    for (int i = 0; i <= most_links; ++i) {
        const auto found = members.find(name);
        if (found == members.end() || found->second.link.empty()) {
            return found != members.end() && found->second.is_file ? &found->second : nullptr;
        }
        name = (std::filesystem::path(name).parent_path() / found->second.link).lexically_normal().string();
    }
    return nullptr;
}

std::unique_ptr<Collection> open_images(Parts parts, const char* format, const CollectionOptions& options) {
    auto images = read_images(parts);
    if (images.empty()) {
        return nullptr;
    }
    return std::make_unique<ImageFiles>(std::move(parts), format, std::move(images), options);
}

} // namespace

std::unique_ptr<Collection> open_image_archive(const std::shared_ptr<const ByteSource>& source, const TarIndex& index,
                                               const CollectionOptions& options) {
    Members members;
    for (const TarMember& member : index.members) {
        if (member.is_file || !member.link.empty()) {
            members.insert_or_assign(member.name.starts_with("./") ? member.name.substr(2) : member.name, member);
        }
    }
    if (!members.contains("manifest.json") && !members.contains("index.json")) {
        return nullptr;
    }
    Parts::Open part = [source, members = std::move(members)](const std::string& name) -> Source {
        const TarMember* member = behind_links(members, name);
        if (member == nullptr) {
            return nullptr;
        }
        const auto bytes = ByteView(*source).sub(member->offset, member->size, "part of the image");
        return bytes ? std::make_shared<PartSource>(source, *bytes) : nullptr;
    };
    return open_images(Parts(std::move(part)), "container image", options);
}

std::unique_ptr<Collection> open_image_layout(const std::string& path, const CollectionOptions& options) {
    struct stat status {};
    if (::stat((path + "/oci-layout").c_str(), &status) != 0) {
        return nullptr;
    }
    Parts::Open part = [path](const std::string& name) -> Source {
        if (!unsafe_name(name).empty()) {
            return nullptr;
        }
        auto file = FileSource::open(path + '/' + name);
        return file ? Source(*std::move(file)) : nullptr;
    };
    return open_images(Parts(std::move(part)), "container image", options);
}

} // namespace cag
