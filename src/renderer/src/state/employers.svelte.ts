/** The account's employer records, and the ones being edited: leaving the screen loses no input. */
import type { EditableEmployerKind } from '../../../shared/composition/employer-problems.ts'
import type { EmployerChange } from '../../../shared/contract/document-requests.ts'
import type { EmployerRecord, EmployersView } from '../../../shared/contract/views.ts'
import type { EmployerKind } from '../../../shared/model/account.ts'
import type { Api } from '../api.ts'
import { Action } from './action.svelte.ts'
import { Resource } from './resource.svelte.ts'

/** A record being created or edited. */
export interface EditedEmployer {
  key: string
  /** The account's version; absent for a new record. */
  before?: EmployerRecord
  now: EmployerRecord
}

export class Employers {
  readonly list: Resource<EmployersView>
  readonly saving = new Action<EmployersView>()
  readonly refreshing = new Action<EmployersView>()
  readonly #api: Api
  #edited = $state<EditedEmployer[]>([])
  #createdCount = 0

  constructor(api: Api) {
    this.#api = api
    this.list = new Resource(() => api.employers.list({ refresh: false }))
  }

  /** Clears everything, because another account has other records. */
  clear(): void {
    this.list.clear()
    this.saving.clear()
    this.refreshing.clear()
    this.#edited = []
  }

  async refresh(): Promise<void> {
    const view = await this.refreshing.run(() => this.#api.employers.list({ refresh: true }))
    if (view) this.list.put(view)
  }

  get records(): readonly EmployerRecord[] {
    return this.list.value?.records ?? []
  }
  get edited(): readonly EditedEmployer[] {
    return this.#edited
  }
  /** New records, which the account doesn't have yet. */
  get created(): readonly EditedEmployer[] {
    return this.#edited.filter(({ before }) => before === undefined)
  }

  find(key: string): EditedEmployer | undefined {
    return this.#edited.find((one) => one.key === key)
  }

  /** Opens the form for a record: with earlier unsaved input, or with the record itself. */
  edit(key: string): void {
    const record = this.records.find((one) => keyOf(one) === key)
    if (!record || this.find(key)) return
    this.#edited.push({ key, before: record, now: { ...record, fields: { ...record.fields } } })
  }

  /** Starts a new record. Returns its key. */
  create(kind: EmployerKind): string {
    const key = `new-${++this.#createdCount}`
    this.#edited.push({ key, now: { kind, Reference: '', Name: '', IsDefault: false, fields: {} } })
    return key
  }

  discard(key: string): void {
    this.#edited = this.#edited.filter((one) => one.key !== key)
  }

  isChanged({ before, now }: EditedEmployer): boolean {
    if (!before) return true
    const names = new Set([...Object.keys(before.fields), ...Object.keys(now.fields)])
    return (
      before.Name !== now.Name ||
      before.IsDefault !== now.IsDefault ||
      [...names].some((name) => (before.fields[name] ?? '') !== (now.fields[name] ?? ''))
    )
  }

  /** Whether another record of this kind has the same reference, which isn't allowed. */
  isReferenceTaken({ before, now }: EditedEmployer): boolean {
    return !before && this.records.some((one) => keyOf(one) === keyOf(now))
  }

  /** Saves a record of that kind. Returns its key from then on, or undefined if it couldn't be saved. */
  async save(edited: EditedEmployer, kind: EditableEmployerKind): Promise<string | undefined> {
    const { kind: _kind, others: _others, ...now } = $state.snapshot(edited.now)
    const record: EmployerChange = { kind, ...now, Reference: now.Reference.trim(), Name: now.Name.trim() }
    const view = await this.saving.run(() => this.#api.employers.save({ records: [record] }))
    if (!view) return undefined
    this.list.put(view)
    this.discard(edited.key)
    return keyOf(record)
  }
}

export function keyOf({ kind, Reference }: Pick<EmployerRecord, 'kind' | 'Reference'>): string {
  return `${kind} ${Reference}`
}
