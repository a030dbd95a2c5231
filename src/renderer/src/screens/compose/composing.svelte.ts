/**
 * A package while it is being composed: what is typed, what is wrong with it, and which of that may be shown already; and
 * the way to the control at a path.
 */
import { tick } from 'svelte'
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { type ComposedItem, type Composition, settingsOf } from '../../../../shared/composition/composition.ts'
import { type Known, type Problem, problemsOf } from '../../../../shared/composition/problems.ts'
import type { FieldMessage } from '../../../../shared/contract/errors.ts'
import { pathOf, valueAt } from './field-paths.ts'

const PREFIX = 'at:'

export class Composing {
  #composition = $state<Composition>() as Composition
  #pressed = $state(false)
  readonly #touched = new SvelteSet<string>()
  /** What the service said of single fields, and what stood there then. */
  readonly #told = new SvelteMap<string, { message: string; of: string | undefined }>()
  /** That of it which is still true: what stands there is what the service saw, no matter who changed what. */
  readonly #standing = $derived.by(() => {
    const standing = [...this.#told].filter(([at, { of }]) => of !== undefined && of === this.#textAt(at))
    return new Map(standing.map(([at, { message }]) => [at, message]))
  })
  /** Where signing in this application was turned on by a tick at a signer: by the item's key where it has settings of its own. */
  readonly #hereByTick = new Set<string>()
  readonly #now: () => number
  #known = $state.raw<Known>({})
  readonly #problems = $derived.by(() => problemsOf(this.#composition, this.#now(), this.#known))
  readonly #byPlace = $derived.by(() => Map.groupBy(this.#problems, (problem) => problem.at))

  constructor(composition: Composition, now: () => number) {
    this.#composition = composition
    this.#now = now
  }

  /** What the screens show; they change its parts by `change`. */
  get composition(): Composition {
    return this.#composition
  }
  /** Milliseconds since 1970 UTC, it moves on as time passes. */
  get now(): number {
    return this.#now()
  }
  get isForms() {
    return this.#composition.kind === 'form-direct'
  }
  /**
   * Face to face is signed here: without this a second tick elsewhere would be needed, and once it is taken back signers would be left
   * without an invitation.
   */
  signHere(item: ComposedItem, isFaceToFace: boolean): void {
    const settings = settingsOf(this.#composition, item)
    const key = item.own ? item.key : ''
    if (isFaceToFace) {
      if (!settings.embedded) this.#hereByTick.add(key)
      settings.embedded = true
      return
    }
    const sharing = item.own ? [item] : this.#composition.items.filter(({ own }) => !own)
    const isNeeded = sharing.some(({ signers }) => signers.some((signer) => signer.faceToFace))
    if (!isNeeded && this.#hereByTick.delete(key)) settings.embedded = false
  }

  /** What to show: what the service said of single fields first, then what we see ourselves. */
  get shown(): readonly Problem[] {
    const told = [...this.#standing].map(([at, message]): Problem => ({ severity: 'error', at, message }))
    return [...told, ...this.#problems]
  }
  /** What forbids sending. */
  get errors(): readonly Problem[] {
    return this.#problems.filter((problem) => problem.severity === 'error')
  }
  /** Whether Send was pressed: from then on everything that is missing is said. */
  get pressed() {
    return this.#pressed
  }

  /** What is known beside the package, as soon as it is: some problems show only then. */
  know(known: Known): void {
    this.#known = { ...this.#known, ...known }
  }

  /** The roles that the package's templates have for signers, each once: those that nobody has first. */
  get roles(): readonly string[] {
    const { items } = this.#composition
    const taken = new Set(items.flatMap(({ signers }) => signers.map((signer) => signer.SignerReference.trim())))
    const known = new Set(items.flatMap(({ Reference }) => this.#known.templateRoles?.get(Reference.trim()) ?? []))
    return [...known].sort((one, other) => Number(taken.has(one)) - Number(taken.has(other)))
  }

  /** Shows another content of the package in place of this one. */
  follow(composition: Composition): void {
    this.#composition = composition
  }

  /** Changes a part of the package in place, for a screen that was given that part. */
  change<Part extends object>(part: Part, to: Partial<Part>): void {
    Object.assign(part, to)
  }

  /** A copy that can leave the screens. */
  snapshot(): Composition {
    return $state.snapshot(this.#composition)
  }

  /** What a control at this place is given: its id, and what is wrong with it once that may be said. */
  control(at: string): { id: string; error: string | undefined; warning: string | undefined } {
    const said = this.#pressed || this.#touched.has(at)
    const here = said ? this.#byPlace.get(at) : undefined
    return {
      id: idOf(at),
      error: this.#standing.get(at) ?? here?.find((problem) => problem.severity === 'error')?.message,
      warning: here?.find((problem) => problem.severity === 'warning')?.message
    }
  }

  /** The person left the control with this id. */
  left(id: string): void {
    if (id.startsWith(PREFIX)) this.#touched.add(id.slice(PREFIX.length))
  }

  /** The person changed the control with this id: what the service said of it, or of what it is part of, is out of date. */
  changed(id: string): void {
    if (!id.startsWith(PREFIX)) return
    const changed = id.slice(PREFIX.length)
    for (const at of this.#told.keys()) if (changed === at || changed.startsWith(`${at}.`)) this.#told.delete(at)
  }

  press(): void {
    this.#pressed = true
  }

  /** Puts the service's messages at their fields; answers those that have no field here. */
  tell(messages: readonly FieldMessage[]): FieldMessage[] {
    this.#told.clear()
    return messages.filter(({ field, message }) => {
      const at = pathOf(this.#composition, field)
      if (at) this.#told.set(at, { message, of: this.#textAt(at) })
      return !at
    })
  }

  get told(): ReadonlyMap<string, string> {
    return this.#standing
  }

  /** What stands at a place, as text. */
  #textAt(at: string): string | undefined {
    return JSON.stringify(valueAt(this.#composition, at))
  }
}

/** The id of the control at a path. */
export function idOf(at: string): string {
  return PREFIX + at
}

/** Lists that draw only a part of themselves: asked to draw the path that is gone to. */
export const drawing = new Set<(at: string) => void>()

/** Moves the focus to the control at a path, opening whatever it lies closed in. Returns whether there was one. */
export async function focusField(at: string): Promise<boolean> {
  for (const draw of drawing) draw(at)
  return focusFirst(idOf(at))
}

/** As `focusField`, by an id. */
export async function focusFirst(id: string): Promise<boolean> {
  await tick()
  const target = document.getElementById(id)
  if (!target) return false
  for (let part = target.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true
  target.focus({ preventScroll: true })
  target.scrollIntoView?.({ block: 'center' })
  return true
}
