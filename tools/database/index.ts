// A database as a whole: where its bytes are, taking it over to this release, mending it.
export { type DatabaseSize, databaseSize, databaseSizeText, type SizeNode } from './size.ts'
export { sizePicture } from './size-picture.ts'
export { type UpgradeResult, upgradeDatabase, upgradeText } from './upgrade-database.ts'
