/**
 * Packages that a second staff member must release before they leave. Such a send is ready but its time never comes, so
 * nothing that takes due sends takes it. Who put it in the outbox and what was decided travel with the send.
 */
import { z } from 'zod'
import type { Composition } from '../../../shared/composition/index.ts'
import type { SendRelease } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'

/** A staff member. The id is '' for someone without a name here, for example when a folder's files are sent. */
const Person = z.object({ id: z.string().max(100), name: z.string().max(200) })
export type Person = z.infer<typeof Person>

export const Release = z.object({
  /** Who put it in the outbox. */
  by: Person,
  /** When it leaves once it is released: see `Send`. */
  isScheduled: z.boolean(),
  goesAt: z.number(),
  released: Person.optional(),
  refused: Person.extend({ reason: z.string().max(500) }).optional(),
  /** When it was decided; absent if an earlier version stored it. */
  decidedAt: z.number().optional()
})
export type Release = z.infer<typeof Release>

/** Who is sending, and whether they need a second staff member. */
export interface ReleaseRule {
  /** @param people how many people it is sent to. */
  isNeeded: (people: number) => boolean
  /** Returns who works here now. */
  who: () => Person
}

/** Returns who works here now; an empty person if staff have no names. */
export const currentPerson = (rule: ReleaseRule | undefined): Person => rule?.who() ?? { id: '', name: '' }

/** 1 January 2100 UTC: a send that waits for a release, or was refused one, doesn't become due before then. */
export const NEVER = Date.UTC(2100, 0, 1)
/** How much later a refused send's time is, in milliseconds: the changed time makes it go to the office. */
const REFUSED_LATER = 1000

type ReleaseTiming = Pick<Release, 'isScheduled' | 'goesAt'>
/** The fields to store on a send once someone has decided. */
export type ReleaseDecision = ReleaseTiming & { release: Release }

/**
 * Returns how many people a package is sent to. Someone in two of its forms counts twice, as only the name could show
 * that it is one person.
 */
export function countPeople(composition: Composition): number {
  return composition.items.reduce((sum, { signers }) => sum + signers.length, 0)
}

/**
 * @returns the fields of a send that needs a release; undefined if it may leave as usual. @param goes when it leaves
 * once released.
 */
export function holdForRelease(
  rule: ReleaseRule | undefined,
  people: number,
  goes: ReleaseTiming
): ReleaseDecision | undefined {
  if (!rule?.isNeeded(people)) return undefined
  return { isScheduled: true, goesAt: NEVER, release: { ...goes, by: rule.who() } }
}

/** Returns whether it still waits for a release. */
export function awaitsRelease(release: Release | undefined): release is Release {
  return release !== undefined && release.released === undefined
}

/** Returns whether someone has released it, or refused to. */
export function isDecided(release: Release | undefined): release is Release {
  return release?.released !== undefined || release?.refused !== undefined
}

/** @throws AppFailure `busy` if there is nothing to decide; `not-allowed` for the person who put it in the outbox. */
export function releaseDecision(release: Release | undefined, who: Person, decidedAt: number): ReleaseDecision {
  const held = assertUndecided(release, who)
  const { isScheduled, goesAt } = held
  return { isScheduled, goesAt, release: { ...held, released: who, decidedAt } }
}

/** Refuses a send: it stays in the outbox with the reason until sending is undone. @throws as `releaseDecision`. */
export function refusalDecision(
  release: Release | undefined,
  who: Person,
  reason: string,
  decidedAt: number
): ReleaseDecision {
  const held = assertUndecided(release, who)
  return {
    isScheduled: true,
    goesAt: NEVER + REFUSED_LATER,
    release: { ...held, refused: { ...who, reason }, decidedAt }
  }
}

function assertUndecided(release: Release | undefined, who: Person): Release {
  if (!awaitsRelease(release) || release.refused) fail('busy', 'This package is no longer waiting for release.')
  // Compares names as well: joining an office gives some staff a new id, and a name belongs to one person.
  const isSame = who.id === release.by.id || folded(who.name) === folded(release.by.name)
  if (who.id !== '' && isSame) {
    fail('not-allowed', 'Someone else has to release this: you sent it.', {
      next: 'Lock Countersign, and ask a manager to unlock it with their name and PIN.'
    })
  }
  return release
}

/** Returns what the screens are shown of a release. */
export function releaseView({ by, released, refused, decidedAt }: Release): SendRelease {
  return {
    by: by.name,
    ...defined({
      released: released?.name,
      refused: refused && { by: refused.name, reason: refused.reason },
      decidedAt
    })
  }
}
