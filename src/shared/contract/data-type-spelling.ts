/** How an account's service wants `pdf` and `json` spelled in the address of its identity data. */

/** The last one tries the other where the first isn't known, and goes on with what worked. */
export const DATA_TYPE_SPELLINGS = ['lower', 'upper', 'lower-then-upper'] as const
export type DataTypeSpelling = (typeof DATA_TYPE_SPELLINGS)[number]
export const USUAL_DATA_TYPE_SPELLING: DataTypeSpelling = 'lower-then-upper'
