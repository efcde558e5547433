#error "nobody asked for this example"
