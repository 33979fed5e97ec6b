// Calls of other instances: addresses, headers, failures, and which instances answer.
export { type ListedAnswer, readAnswers, writeAnswers } from './answer-list.ts'
export { Availability, type Status } from './availability.ts'
export {
  ABSENT,
  BRINGING,
  checkOrigin,
  hasTaskHeaders,
  importHeaders,
  LACKING,
  MEMBER_KEY,
  originHeaders,
  PROTOCOL,
  PROTOCOL_VERSION,
  PROXY_SEARCH,
  RENEWED,
  RENEWED_SHARDS,
  REPEATED,
  readTaskNetwork,
  SENDER,
} from './headers.ts'
export { describedRemote, type InstanceDescription, ownDescription } from './instance-identity.ts'
export { Latencies } from './latencies.ts'
export {
  ANSWER_BYTES_MAX,
  ANSWERS_BYTES_MAX,
  BACKLOG_LOG_BYTES_MAX,
  BACKLOG_TASKS_MAX,
  BEHIND_MS,
  BEHIND_NOTICE_MS,
  FIRST_COLD_MS,
  FIRST_MS,
  LAST_MS,
  MESSAGE_MS,
  MISMATCH_PAUSE_MS,
  PART_BYTES,
  PIECE_BYTES,
  PIECE_PAUSE_MS_MAX,
  REMOVED_RETRY_MS,
  REPLAN_MS,
  REPLANS_MAX,
  SHARDS_HEADER_BYTES_MAX,
  WARM_DOCUMENTS_MIN,
  WARM_MS_MAX,
  WARM_ROUNDS,
  WARM_THREADS,
} from './limits.ts'
export { parsedJson } from './parsed-json.ts'
export { Probes, probe } from './probes.ts'
export {
  type CallTimes,
  callRemote,
  forInstance,
  isRepeatable,
  isRetryable,
  messageRequest,
  type RemoteRequest,
  refused,
  remoteCodeOf,
} from './remote-call.ts'
export { type RemoteMeasures, remoteMeasures } from './remote-measures.ts'
export { RemoteTally } from './remote-tally.ts'
