// The part of WebAssembly that this folder uses; the platform's type definitions lack it.

export const WASM_PAGE_BYTES = 65536

/** A memory shared between threads. It only grows; `buffer` then becomes another object. */
export type WasmMemory = {
  readonly buffer: SharedArrayBuffer
  grow(pages: number): number
}

type Wasm = {
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

export const instantiate = (module: Uint8Array, memory: WasmMemory): unknown =>
  new wasm.Instance(new wasm.Module(module), { env: { memory } }).exports
