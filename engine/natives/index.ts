// Native packages: which are loaded, and why are others not?
export { type Koffi, koffi } from './koffi.ts'
export { loadNative, type NativeName, prebuilt, reasonWithout } from './natives.ts'
