/* The program. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return mlia_cli_main(argc, argv);
}
