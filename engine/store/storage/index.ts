// Disk access. The only importer of fs, mmap, flock and zstd.
export { type DroppedFile, DroppedFiles } from './dropped-files.ts'
export { goneError } from './errno.ts'
export { FakeDisk } from './fake-disk.ts'
export { directoryOf, type File, type FileSystem, type Lock } from './file-system.ts'
export {
  isTemporaryName,
  readFile,
  replaceFile,
  SequentialWriter,
  temporaryName,
  writeAside,
} from './files.ts'
export {
  LOADED_BYTES_MAX,
  LOG_FILE_BYTES_MAX,
  LOG_GROUP_BYTES_MAX,
  LOG_QUEUE_BYTES_MAX,
  LOG_ROOM_BYTES_MAX,
  LOG_ROOM_BYTES_MIN,
  MAP_BYTES_MAX,
  WRITE_BUFFER_BYTES,
} from './limits.ts'
export { collectGarbage, releasePages } from './map.ts'
export { type NativeReport, nativeReports } from './native-report.ts'
export { drawLogSalt, type Random, randomOf } from './random.ts'
export { RealFileSystem } from './real-file-system.ts'
export { type LogHealth, StorageHealth } from './storage-health.ts'
export { fileBytes, replaceByStream } from './streams.ts'
export { compress, decompress } from './zstd.ts'
