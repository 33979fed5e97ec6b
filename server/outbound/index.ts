// Outgoing calls: which addresses may be called, and the calls themselves.
export { caller, providerCaller, type Resolve } from './call.ts'
export { mayCall } from './policy.ts'
export { modelCaller, streamingCaller } from './stream.ts'
