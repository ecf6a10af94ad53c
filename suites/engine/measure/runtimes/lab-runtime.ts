/** The project's own runtime, on which everything runs that asks for no other. */
export const LAB_RUNTIME = "node24";
