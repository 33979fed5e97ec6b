// Limits of several rooms that hold only together.
import { MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'
import { LOG_PAYLOAD_BYTES_MAX } from '../../format/log/index.ts'
import { KEYS_BYTES_MAX } from '../admin/keys/index.ts'
import { CHATS_BYTES_MAX } from '../ai/chats/index.ts'
import { NETWORK_BYTES_MAX } from '../network/records/index.ts'
import { RULES_BYTES_MAX } from '../read/search-rules/index.ts'
import { LOG_FILE_BYTES_MAX, LOG_QUEUE_BYTES_MAX } from '../store/storage/index.ts'
import { APPENDING_BYTES_MAX, LOG_BYTES_MAX } from '../write/task-data/index.ts'

/** Bytes that the caches of all search threads may hold together if no option says otherwise. */
export const SEARCH_CACHE_BYTES_MAX = 512 * MiB

/**
 * Requests that wait for tasks: each holds some kilobytes, and each is asked again after every
 * batch, which takes less than a millisecond for all of them.
 */
export const TASK_WAITERS_MAX = 1000

const VALUES_BYTES_MAX = KEYS_BYTES_MAX + CHATS_BYTES_MAX + RULES_BYTES_MAX + NETWORK_BYTES_MAX

assert(2 * VALUES_BYTES_MAX < LOG_PAYLOAD_BYTES_MAX, 'a checkpoint of all values is one record')
assert(APPENDING_BYTES_MAX <= LOG_QUEUE_BYTES_MAX, 'a log accepts what is passed to it at a time')
assert(
  LOG_BYTES_MAX + 2 * APPENDING_BYTES_MAX < LOG_FILE_BYTES_MAX,
  'batches can end in a full log',
)
