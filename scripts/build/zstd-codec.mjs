// The content of `dist/words/zstd.js`: the zstd codec as WebAssembly.
export { default as codec } from '../../node_modules/@bokuweb/zstd-wasm/dist/common/zstd.wasm'
