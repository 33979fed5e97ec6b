// Sends writes, documents and searches to the other instances of a network.
export { aloneService } from './alone.ts'

export { NetworkService } from './service.ts'
