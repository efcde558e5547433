// Options that several commands have, and the ways in which an option takes its values.
#pragma once

#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cag {

// The option takes one of some words; its help shows them as its type, and what else is given is told with them.
void allow_only(CLI::Option& option, const std::vector<std::string>& words);

template <class T>
void add_choice(CLI::App& command, const char* name, T& value, const std::vector<std::pair<std::string, T>>& choices, const char* text) {
    std::vector<std::string> words;
    for (const auto& choice : choices) {
        words.push_back(choice.first);
    }
    const auto take = [&value, choices](const std::string& word) {
        value = std::find_if(choices.begin(), choices.end(), [&](const auto& choice) { return choice.first == word; })->second;
    };
    allow_only(*command.add_option_function<std::string>(name, take, text), words);
}

// A repeatable option that takes one value each time, so that a path may follow it.
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* text, const char* type);

void add_output_options(CLI::App& command, OutputOptions& options, const std::vector<std::string>& formats = {"text", "json"});

// How inputs are read, whatever they are.
void add_read_options(CLI::App& command, InputOptions& options);

// PATH..., and how they are read.
void add_input_options(CLI::App& command, InputOptions& options);

// Of commands whose results can be put together again.
void add_spread_options(CLI::App& command, InputOptions& options);

// Texts whose lists of architectures are claims; `text` says what the option does besides.
void add_claims_from(CLI::App& command, InputOptions& options, const std::string& text);

void add_driver_options(CLI::App& command, std::vector<std::string>& drivers, std::vector<std::string>& environment);

} // namespace cag
