// Here is a URL: may it be called, and what does it answer?
export { caller, providerCaller, type Resolve } from './call.ts'
export { mayCall } from './policy.ts'
export { modelCaller, streamingCaller } from './stream.ts'
