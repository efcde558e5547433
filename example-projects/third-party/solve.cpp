void solve(double* x);

int main() { return solve == nullptr; }
