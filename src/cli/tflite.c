/* The options of TensorFlow Lite models. */
#include "cli/tflite.h"

mlia_tflite_choices mlia_cli_tflite_choices(const mlia_cli *cli)
{
    return (mlia_tflite_choices){
        .rounding = mlia_cli_value(cli, "tflite-rounding"),
        .state = mlia_cli_value(cli, "tflite-state"),
        .signature = mlia_cli_value(cli, "signature"),
        .subgraph = mlia_cli_value(cli, "subgraph"),
    };
}
