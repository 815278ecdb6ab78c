// The scheduled layer with one mistake at a time.
// RUN: rm -rf %t && mkdir %t

// RUN: sed -e 's/"sum" at 576/"sum"/' %mozart_source/test/Phases/one-layer-scheduled.mlir > %t/offset.mlir
// RUN: not mozart-opt %t/offset.mlir --mozart-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: error: {{.*}}'sum'{{.*}}no offset

// RUN: sed -e 's/"sum" at 576/"sum" at 1048570/' %mozart_source/test/Phases/one-layer-scheduled.mlir > %t/beyond.mlir
// RUN: not mozart-opt %t/beyond.mlir --mozart-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: {{.*}}'sum'{{.*}}of the SRAM of 'root'; expected at most its 1048576 bytes

// RUN: sed -e 's/"y" at 704/"y" at 640/' %mozart_source/test/Phases/one-layer-scheduled.mlir > %t/shared.mlir
// RUN: not mozart-opt %t/shared.mlir --mozart-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: {{.*}}task 14 ('residual'){{.*}}expected other bytes, as it does both at once

// RUN: sed -e 's/ stage [0-9]*//; s/ after %%e_dispatch, / after /' %mozart_source/test/Phases/one-layer-scheduled.mlir > %t/race.mlir
// RUN: not mozart-opt %t/race.mlir --mozart-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: {{.*}}'rows[2]'{{.*}}no wait, engine or stage orders the two

// RUN: sed -e 's/%%e_ffn3 stage 4/%%e_ffn3 stage 2/' %mozart_source/test/Phases/one-layer-scheduled.mlir > %t/stages.mlir
// RUN: not mozart-opt %t/stages.mlir --mozart-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: {{.*}}stage

// RUN: sed -e 's/experts \[1, 2\]/experts [2, 1]/' %mozart_source/test/Phases/one-layer-scheduled.mlir > %t/weights.mlir
// RUN: not mozart-opt %t/weights.mlir --mozart-verify-scheduled -o /dev/null 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: error: {{.*}}of other experts than task
