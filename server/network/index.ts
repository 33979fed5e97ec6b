// How do writes, documents and searches get to the other instances of a network?

export { networkDocument, networkDocuments } from './documents.ts'
export { registrationReader } from './registration.ts'
export { ofNobody, type PlacedQuery } from './searches.ts'
export { aloneService, NetworkService } from './service.ts'
