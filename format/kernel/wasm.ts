// The part of WebAssembly that the kernel uses; the platform's type definitions lack it.

export const WASM_PAGE_BYTES = 65536

/** A memory shared between threads. It only grows; `buffer` then becomes another object. */
export type WasmMemory = {
  readonly buffer: SharedArrayBuffer
  grow(pages: number): number
}

type Wasm = {
  readonly CompileError: new () => Error
  readonly LinkError: new () => Error
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}
const wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly

/**
 * Creates a memory; it uses no physical memory until written to. `maximum` in pages: at most the
 * value that `kernel.mjs` declares.
 */
export const newWasmMemory = (maximum: number): WasmMemory =>
  new wasm.Memory({ initial: 1, maximum, shared: true })

/** Compiles a module and returns its exports. */
export const instantiate = (module: Uint8Array, imports: object): unknown =>
  new wasm.Instance(new wasm.Module(module), imports).exports

/** Returns true if the platform cannot run a module. */
export const isWasmError = (error: unknown): boolean =>
  error instanceof wasm.CompileError || error instanceof wasm.LinkError
