// A database as a whole: where its bytes are, taking it over to this release, mending it.
export type { LostDocuments } from './mend-index.ts'
export type { LostTasks } from './mend-tasks.ts'
export { type RepairResult, type RepairStep, repairDatabase } from './repair.ts'
export { repairText } from './repair-text.ts'
export { type DatabaseSize, databaseSize, databaseSizeText, type SizeNode } from './size.ts'
export { sizePicture } from './size-picture.ts'
export { type UpgradeResult, upgradeDatabase, upgradeText } from './upgrade-database.ts'
