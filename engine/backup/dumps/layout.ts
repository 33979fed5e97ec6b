// The names of the parts of a dump. Layout: ./DUMPS.md
export const METADATA = 'metadata.json'
export const INSTANCE_UID = 'instance_uid.uuid'
export const KEYS = 'keys.jsonl'
export const CHATS = 'chat-completions-settings'
export const TASKS_FOLDER = 'tasks'
export const TASK_QUEUE = 'tasks/queue.jsonl'
export const UPDATE_FILES = 'tasks/update_files'
export const BATCHES_FOLDER = 'batches'
export const BATCH_QUEUE = 'batches/queue.jsonl'
export const INDEXES = 'indexes'
export const FEATURES_FILE = 'experimental-features.json'
export const NETWORK = 'network.json'
export const WEBHOOKS = 'webhooks.json'

import { asIndexUid, type TaskUid } from '../../../format/ids.ts'

export const DOCUMENTS_FILE = 'documents.jsonl'
export const SETTINGS_FILE = 'settings.json'
export const INDEX_METADATA = 'metadata.json'

export const DUMP_VERSION = 'V6'
/** The hidden index in which dumps keep the dynamic search rules. */
export const RULES_INDEX = asIndexUid('.meili_dsr')

export const updateFile = (taskUid: TaskUid): string => `${UPDATE_FILES}/${taskUid}.jsonl`

/** Returns the name of a dump, the time at which it began: `20260102-030405678`. */
export function dumpUidOf(micros: number): string {
  const [date = '', time = ''] = new Date(Math.floor(micros / 1000)).toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.replace(/[:.Z]/g, '')}`
}

/** The file of a dump, and its name until it is complete. */
export const dumpFile = (dumpUid: string): string => `${dumpUid}.dump`
export const unfinishedDumpFile = (dumpUid: string): string => `${dumpUid}.dump.new`
export const isDumpUid = (text: string): boolean => /^\d{8}-\d{9}$/.test(text)
