// Limits of several rooms that hold only together.
import { MiB } from '../../format/bytes/index.ts'
import { BLOCK_TARGET_BYTES } from '../../format/documents/index.ts'
import { assert } from '../../format/errors.ts'
import { LOG_PAYLOAD_BYTES_MAX } from '../../format/log/index.ts'
import { KEYS_BYTES_MAX } from '../admin/keys/index.ts'
import { CHATS_BYTES_MAX } from '../ai/chats/index.ts'
import { NETWORK_BYTES_MAX } from '../network/records/index.ts'
import { RULES_BYTES_MAX } from '../read/search-rules/index.ts'
import { LOG_FILE_BYTES_MAX, LOG_QUEUE_BYTES_MAX } from '../store/storage/index.ts'
import { APPENDING_BYTES_MAX, LOG_BYTES_MAX } from '../write/task-data/index.ts'

/** Bytes of decompressed blocks of stored documents that a search thread may cache. */
export const BLOCK_BYTES_MAX = 16 * MiB

const VALUES_BYTES_MAX = KEYS_BYTES_MAX + CHATS_BYTES_MAX + RULES_BYTES_MAX + NETWORK_BYTES_MAX

assert(BLOCK_BYTES_MAX > 20 * BLOCK_TARGET_BYTES, 'the cache holds the blocks of a page of hits')
assert(2 * VALUES_BYTES_MAX < LOG_PAYLOAD_BYTES_MAX, 'a checkpoint of all values is one record')
assert(APPENDING_BYTES_MAX <= LOG_QUEUE_BYTES_MAX, 'a log accepts what is passed to it at a time')
assert(
  LOG_BYTES_MAX + 2 * APPENDING_BYTES_MAX < LOG_FILE_BYTES_MAX,
  'batches can end in a full log',
)
