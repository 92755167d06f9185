/* Private to cli: the options of TensorFlow Lite models, for every command that reads models. */
#ifndef MLIA_CLI_TFLITE_H
#define MLIA_CLI_TFLITE_H

#include "cli/cli.h"
#include "core/tflite.h"

#define MLIA_CLI_TFLITE_OPTIONS                                                                              \
    {.name = "tflite-rounding",                                                                              \
     .type = MLIA_CLI_CHOICE,                                                                                \
     .argument = "R",                                                                                        \
     .choices = "reference single official",                                                                 \
     .fallback = "reference",                                                                                \
     .help = "how requantisation rounds: as the reference kernels, always once (as XNNPACK), or as the "     \
             "official converter"},                                                                          \
        {.name = "tflite-state",                                                                             \
         .type = MLIA_CLI_CHOICE,                                                                            \
         .argument = "S",                                                                                    \
         .choices = "variable io zero",                                                                      \
         .fallback = "variable in TOSA files, else io",                                                      \
         .help = "what becomes of variables and recurrent state: TOSA variables, an input and an output "    \
                 "each, or the initial value always"},                                                       \
        {.name = "signature",                                                                                \
         .type = MLIA_CLI_TEXT,                                                                              \
         .argument = "KEY",                                                                                  \
         .help = "signature of a TensorFlow Lite model to take instead of its first subgraph"},              \
    {                                                                                                        \
        .name = "subgraph", .type = MLIA_CLI_TEXT, .argument = "S",                                          \
        .help = "subgraph of a TensorFlow Lite model to take, by number or name"                             \
    }

mlia_tflite_choices mlia_cli_tflite_choices(const mlia_cli *cli);

#endif
