// The kernel: hot loops as WebAssembly, and the memory that it shares between threads. Page:
// ./KERNEL.md
export { type Kernel, kernel, kernelIfAny, type Room, shareKernelMemory } from './kernel.ts'
export {
  ALL_SEGMENTS,
  DICTIONARY_PART,
  forgetThread,
  KernelMemory,
  newKernelMemory,
  POSTINGS_PART,
} from './memory.ts'
export { instantiate, type WasmMemory } from './wasm.ts'
