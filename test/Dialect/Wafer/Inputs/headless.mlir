wafer.machine @headless tree {
}
