// Small values of the database besides documents: keys, webhooks, workspaces, rules, features.
export { featureChange, featureRecords, featuresOf } from './features.ts'
export { decodedValues, recordsOf, type ValueSpace, valueChange, valueChanges } from './space.ts'
export { ValueStore } from './store.ts'
