// Outgoing calls: which addresses may be called, and the calls themselves.
export { caller, providerCaller } from './call.ts'
export { storeOptions } from './store-options.ts'
export { modelCaller, streamingCaller } from './stream.ts'
