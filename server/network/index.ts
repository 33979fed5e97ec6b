// Sends writes, documents and searches to the other instances of a network.

export { aloneService } from './alone.ts'
export { type ListedAnswer, writeAnswers } from './answer-list.ts'
export { networkDocument, networkDocuments } from './documents.ts'
export { ANSWER_BYTES_MAX as NETWORK_ANSWER_BYTES_MAX } from './limits.ts'
export { withMembership } from './membership.ts'
export type { PlacedQuery } from './placed-queries.ts'
export { registrationReader } from './registration.ts'
export { ofNobody } from './searches.ts'
export { NetworkService } from './service.ts'
export { askedShardNames } from './serving.ts'
export { networkSimilar } from './similar.ts'
export { requestOf } from './task-requests.ts'
