// Native packages: which of them are loaded, and why not.
export { type Koffi, koffi } from './koffi.ts'
export { loadNative, type NativeName, prebuilt, reasonWithout } from './natives.ts'
