/** Keeps employer records (operation 3, reference sections 2.18 and 2.19). */
import type { EmployerSet } from '../shared/model/index.ts'
import type { UpdateEmployers } from './requests.ts'
import type { PracticeState } from './state.ts'

type KeptRecord = { Reference?: string | undefined; IsDefault?: boolean | undefined }

/**
 * Adds the records that are new and replaces those whose Reference is known. A list has one default at most: the one
 * that was made so last. Answers the whole set, MOJ and StandardMOJ with it.
 */
export function updateEmployers(state: PracticeState, sent: UpdateEmployers): EmployerSet {
  for (const kind of ['SuperFund', 'TFN', 'AccClaimsHistory'] as const) {
    let kept = (state.employers[kind] ?? []) as KeptRecord[]
    for (const record of (sent[kind] ?? []) as KeptRecord[]) kept = withRecord(kept, record)
    state.employers[kind] = kept as never
  }
  return state.employers
}

function withRecord(kept: KeptRecord[], record: KeptRecord): KeptRecord[] {
  const others = record.IsDefault ? kept.map((one) => ({ ...one, IsDefault: false })) : kept
  const place = others.findIndex((one) => one.Reference === record.Reference)
  return place < 0 ? [...others, record] : others.with(place, record)
}
