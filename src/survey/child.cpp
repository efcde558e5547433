#include "survey/json.hpp"
#include "survey/methods.hpp"

#include <nlohmann/json.hpp>

namespace cag {

MethodAnswer asked_in_child(const Host& host, Method method, MethodAnswer (*ask)(const Host&)) {
    MethodAnswer answer;
    answer.method = method;
    if (!host.live) {
        answer.asked = false;
        return answer;
    }
    using Json = nlohmann::ordered_json;
    std::string why;
    const auto text = in_child(
        host, [&] { return to_json(ask(host)).dump(-1, ' ', false, Json::error_handler_t::replace); }, why);
    const Json json = text ? Json::parse(*text, nullptr, false) : Json();
    if (!text || json.is_discarded()) {
        answer.problem = "the library did not answer: " + (why.empty() ? "it ended before its time" : why);
        return answer;
    }
    const auto read = answer_from_json(json);
    return read ? *read : answer;
}

} // namespace cag
