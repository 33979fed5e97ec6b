// Writes in a network: the leader sends its tasks to all members in order.
export { type ChangeLists, listsIn } from './change-requests.ts'
export { checkAddresses, type Described, Leadership, nextLeadership } from './leadership.ts'
export { checkSender, isMember, senderHeaders, senderOf, withMembership } from './membership.ts'
export { registrationReader } from './registration.ts'
export { Replicator } from './replicator.ts'
export { SelfCheck } from './self-check.ts'
export { requestOf } from './task-requests.ts'
