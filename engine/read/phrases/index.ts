// Finds documents by words at given positions: phrases, and elements of lists.
export { type ElementMembers, type ElementWord, elementMembers } from './elements.ts'
export { phraseMembers, phrasePlaces } from './members.ts'
export type { PhrasePart, Places } from './places.ts'
