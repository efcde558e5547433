// What the fake NVML and the fake libcuda answer: read from the variable FAKE_MACHINE, lines of key=value.
//   nvml=18              nvmlInit's status            cuda=802    cuInit's status
//   driver=580.159.04    supports=13000               crash=1     the library dies in its first call
//   gpu=NVIDIA H200,9,0,2335,1b,11111111              name, capability, PCI device, bus, first part of the UUID (hexadecimal)
//   order=1,0            libcuda's order; left out: as listed     mig=0      GPU 0 is divided       fabric=2     NVLink fabric state
#pragma once

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

struct FakeGpu {
    std::string name;
    int major = 0;
    int minor = 0;
    unsigned device = 0;
    unsigned bus = 0;
    std::string id; // eight digits
};

struct FakeMachine {
    int nvml = 0;
    int cuda = 0;
    std::string driver = "580.159.04";
    int supports = 13000;
    int mig = -1;
    unsigned char fabric = 0;
    std::vector<FakeGpu> gpus;
    std::vector<int> order;

    FakeMachine() {
        const char* text = std::getenv("FAKE_MACHINE");
        std::istringstream lines(text == nullptr ? "" : text);
        for (std::string line; std::getline(lines, line);) {
            const auto equals = line.find('=');
            const std::string key = line.substr(0, equals);
            const std::string value = line.substr(equals + 1);
            std::istringstream parts(value);
            if (key == "nvml") {
                nvml = std::stoi(value);
            } else if (key == "cuda") {
                cuda = std::stoi(value);
            } else if (key == "driver") {
                driver = value;
            } else if (key == "supports") {
                supports = std::stoi(value);
            } else if (key == "mig") {
                mig = std::stoi(value);
            } else if (key == "fabric") {
                fabric = static_cast<unsigned char>(std::stoi(value));
            } else if (key == "crash") {
                std::raise(SIGKILL); // a signal that no sanitizer makes its own report of
            } else if (key == "order") {
                for (std::string part; std::getline(parts, part, ',');) {
                    order.push_back(std::stoi(part));
                }
            } else if (key == "gpu") {
                FakeGpu gpu;
                std::string part;
                std::getline(parts, gpu.name, ',');
                std::getline(parts, part, ',');
                gpu.major = std::stoi(part);
                std::getline(parts, part, ',');
                gpu.minor = std::stoi(part);
                std::getline(parts, part, ',');
                gpu.device = static_cast<unsigned>(std::stoul(part, nullptr, 16));
                std::getline(parts, part, ',');
                gpu.bus = static_cast<unsigned>(std::stoul(part, nullptr, 16));
                std::getline(parts, gpu.id);
                gpus.push_back(gpu);
            }
        }
    }
};

inline const FakeMachine& fake_machine() {
    static const FakeMachine machine;
    return machine;
}
