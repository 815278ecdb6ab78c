wafer.machine @broken tree {
