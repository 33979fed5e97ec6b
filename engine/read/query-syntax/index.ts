// The syntax of boolean queries: `AND`, `OR`, `NOT`, signs, parentheses, phrases and names of
// attributes. Parses a text to a tree, and combines sets of documents by the tree.
export { parseBoolean, refuse } from './parse.ts'
export { type BooleanQuery, type FieldName, type Leaf, matching } from './tree.ts'
