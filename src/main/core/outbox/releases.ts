/**
 * Packages that another of staff has to release before they leave. Such a send is ready, with a time that never comes, so nothing that takes
 * what is due takes it; who put it in the outbox, and what was decided of it, goes along with it wherever it goes.
 */
import { z } from 'zod'
import type { Composition } from '../../../shared/composition/index.ts'
import type { SendRelease } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'

/** Someone of staff. The id is '' for one who has no name here, as where a folder's files are sent. */
const Person = z.object({ id: z.string().max(100), name: z.string().max(200) })
export type Person = z.infer<typeof Person>

export const Release = z.object({
  /** Who put it in the outbox. */
  by: Person,
  /** When it leaves once it is released: see `Send`. */
  isScheduled: z.boolean(),
  goesAt: z.number(),
  released: Person.optional(),
  refused: Person.extend({ reason: z.string().max(500) }).optional()
})
export type Release = z.infer<typeof Release>

/** Who asks, and whether they need another of staff. */
export interface ReleaseRule {
  /** @param people whom it goes to. */
  isNeeded: (people: number) => boolean
  /** Who works here now. */
  who: () => Person
}

/** Who works here now; nobody where staff have no names. */
export const whoOf = (rule: ReleaseRule | undefined): Person => rule?.who() ?? { id: '', name: '' }

/** 1 January 2100 UTC: nothing is due by then that waits for someone. */
const NEVER = Date.UTC(2100, 0, 1)
/** A refusal is told to the office as another time than the one before: so much later, in milliseconds. */
const REFUSED_LATER = 1000

type Goes = Pick<Release, 'isScheduled' | 'goesAt'>
/** What is written of a send once someone has decided. */
export type Decided = Goes & { release: Release }

/** How many people a package goes to; who is in two of its forms counts twice, since nothing else than a name says that they are one. */
export function peopleOf(composition: Composition): number {
  return composition.items.reduce((sum, { signers }) => sum + signers.length, 0)
}

/** @returns what is written of a send that waits for someone; undefined where it leaves as it would. @param goes when it leaves then. */
export function heldBy(rule: ReleaseRule | undefined, people: number, goes: Goes): Decided | undefined {
  if (!rule?.isNeeded(people)) return undefined
  return { isScheduled: true, goesAt: NEVER, release: { ...goes, by: rule.who() } }
}

/** Whether it still waits for someone. */
export function isHeld(release: Release | undefined): release is Release {
  return release !== undefined && release.released === undefined
}

/** @throws AppFailure `busy` where nobody has to decide; `not-allowed` by the one who put it in the outbox. */
export function releasedBy(release: Release | undefined, who: Person): Decided {
  const held = mustBeUndecided(release, who)
  const { isScheduled, goesAt } = held
  return { isScheduled, goesAt, release: { ...held, released: who } }
}

/** It stays in the outbox, with why, until it is taken back. @throws as `releasedBy`. */
export function refusedBy(release: Release | undefined, who: Person, reason: string): Decided {
  const held = mustBeUndecided(release, who)
  return { isScheduled: true, goesAt: NEVER + REFUSED_LATER, release: { ...held, refused: { ...who, reason } } }
}

function mustBeUndecided(release: Release | undefined, who: Person): Release {
  if (!isHeld(release) || release.refused) fail('busy', 'This package no longer waits for a release.')
  // By the name as well: joining an office gives some of staff another id, and a name is one person’s.
  const isSame = who.id === release.by.id || folded(who.name) === folded(release.by.name)
  if (who.id !== '' && isSame) {
    fail('not-allowed', 'Someone else has to release this: you sent it.', {
      next: 'Lock Countersign, and have a manager unlock it with their name and PIN.'
    })
  }
  return release
}

/** What the screens are shown of it. */
export function releaseView({ by, released, refused }: Release): SendRelease {
  return {
    by: by.name,
    ...defined({ released: released?.name, refused: refused && { by: refused.name, reason: refused.reason } })
  }
}
