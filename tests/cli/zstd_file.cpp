// zstd_file IN OUT: compresses a file, for tests in Python, which has no Zstandard.
#include <fstream>
#include <iterator>
#include <string>
#include <zstd.h>

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    std::ifstream in(argv[1], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
    std::ofstream(argv[2], std::ios::binary) << packed;
    return 0;
}
