/* Bands: the output rows of a chain are cut into `stripe.count` bands of equal height, the last one takes
 * what is left. The figures of a band grow with its rows; weights, tables and starts are paid by every band.
 */
#include <math.h>

#include "estimate/plan.h"

double mlia_band_rows(const mlia_price *price, uint32_t index)
{
    double start = price->first * index;
    return index + 1 < price->bands ? price->first : price->rows - start;
}

/* Bytes of the chain's output in bands 0 … index - 1; exact at the end. */
static double written_before(const mlia_price *price, uint32_t index)
{
    return index >= price->bands ? price->write : floor(price->write * (price->first * index / price->rows));
}

mlia_cost mlia_band_cost(const mlia_estimate_config *config, const mlia_price *price,
                         const mlia_placement *placement, uint32_t index)
{
    mlia_cost cost = {0};
    double rows = mlia_band_rows(price, index) + (index > 0 ? placement->extra_rows : 0);
    double slowest = 0;
    for (uint32_t s = 0; s < MLIA_SECTION_COUNT; s++) {
        double scaled = price->scaled[s] * rows / price->first;
        cost.sections[s] = mlia_figure(ceil(scaled / config->engines) + price->fixed[s]);
        slowest = fmax(slowest, (double)cost.sections[s]);
    }
    double read = ceil(price->read_scaled * rows / price->first);
    double local = placement->input_in_l2 ? fmin(read, ceil(price->input * rows / price->first)) : 0;
    double write = written_before(price, index + 1) - written_before(price, index);
    mlia_traffic *dram = &cost.memories[MLIA_MEMORY_DRAM];
    mlia_traffic *l2 = &cost.memories[MLIA_MEMORY_L2];
    mlia_traffic *l1 = &cost.memories[MLIA_MEMORY_L1];
    l2->read_bytes = mlia_figure(local);
    dram->read_bytes = mlia_figure(read - local + price->read_fixed);
    *(placement->output_in_l2 ? &l2->write_bytes : &dram->write_bytes) = mlia_figure(write);
    l1->write_bytes = mlia_figure(write);
    l1->cycles = mlia_figure(write / config->l1_rate);
    l2->cycles = mlia_figure((double)(l2->read_bytes + l2->write_bytes) / config->l2_rate);
    dram->cycles = mlia_figure((double)(dram->read_bytes + dram->write_bytes) / config->dram_rate);
    for (uint32_t m = 0; m < MLIA_MEMORY_COUNT; m++)
        slowest = fmax(slowest, (double)cost.memories[m].cycles);
    cost.op_cycles = cost.sections[MLIA_SECTION_CONVOLUTION_ENGINE];
    for (uint32_t s = MLIA_SECTION_VECTOR_ENGINE; s <= MLIA_SECTION_TRANSFORM_UNIT; s++)
        if (cost.sections[s] > cost.op_cycles)
            cost.op_cycles = cost.sections[s];
    cost.total_cycles =
        mlia_figure(slowest + (index + 1 < price->bands ? config->latency_band : price->drain));
    return cost;
}
