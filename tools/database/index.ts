// Commands on a whole database: sizes, upgrade, promotion, repair.
export { promoteDatabase, promoteText } from './promote.ts'
export { repairDatabase } from './repair.ts'
export { repairText } from './repair-text.ts'
export { databaseSize, databaseSizeText } from './size.ts'
export { sizePicture } from './size-picture.ts'
export { upgradeDatabase, upgradeText } from './upgrade-database.ts'
