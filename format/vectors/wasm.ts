// What this folder uses of WebAssembly: the types of the platform do not have it.

export const WASM_PAGE_BYTES = 65536

/** Shared between threads. It only grows; `buffer` is another object then. */
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

/** Takes no memory before it is written to. `maximum`: at most what `kernel.mjs` declares. */
export const newWasmMemory = (maximum: number): WasmMemory =>
  new wasm.Memory({ initial: 1, maximum, shared: true })

export const instantiate = (module: Uint8Array, memory: WasmMemory): unknown =>
  new wasm.Instance(new wasm.Module(module), { env: { memory } }).exports
