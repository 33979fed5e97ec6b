// Types of `kernel.mjs`.
export const KERNEL_TABLE: string
export function kernelTable(): Promise<string>
