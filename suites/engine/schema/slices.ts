/**
 * Slices of working sets beyond the caches are this long or longer, in us: what such a set has to be copied in for, and out
 * again, should be worth it. Ratios of such slices are of means (see METHOD.md).
 */
export const LARGE_SLICE_US = 2_000;
