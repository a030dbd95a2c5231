/**
 * `countersign://draft?…` links, by which another program or a web page asks for a draft. Anyone can write such a link,
 * so it only says who is to sign what, is accepted as a whole or not at all, and nothing of it is stored before a
 * person agrees.
 */
import { z } from 'zod'
import {
  blankComposition,
  blankItem,
  blankSigner,
  type Composition,
  namesSomeoneElse
} from '../../../shared/composition/index.ts'
import { withoutOwnValues } from '../../../shared/composition/preset.ts'
import type { RequestedDraft } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { getOrMake } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'

/** The maximum length of a link, in characters, and the maximum number of signers. */
const MAX_LINK_LENGTH = 8_000
const MAX_SIGNERS = 20
/** Hidden characters could make one name look like another. The two exceptions join letters in some scripts. */
const PLAIN = /^(?:[^\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|[\u200c\u200d])*$/u

const text = z.string().max(500).regex(PLAIN)
/** The parameters for a signer and for a form or template, with their names in the API reference. */
const SIGNER = {
  firstName: 'FirstName',
  middleName: 'MiddleName',
  lastName: 'LastName',
  email: 'Email',
  mobileCountry: 'MobileCountry',
  mobileNumber: 'MobileNumber',
  clientReference: 'ClientReference'
} as const
const ITEM = { name: 'Name', reference: 'Reference', clientReference: 'ClientReference' } as const

const LinkedSigner = z.strictObject(
  Object.fromEntries(Object.keys(SIGNER).map((name) => [name, text.optional()])) as Record<
    keyof typeof SIGNER,
    z.ZodOptional<typeof text>
  >
)
const DraftLinkShape = z.strictObject({
  /** The name of a preset to start from. Without it, `kind` says what to create. */
  preset: text.min(1).optional(),
  kind: z.enum(['form', 'template']).optional(),
  name: text.optional(),
  reference: text.optional(),
  clientReference: text.optional(),
  signers: z.array(LinkedSigner).max(MAX_SIGNERS)
})
export type DraftLink = z.infer<typeof DraftLinkShape>

const NOTHING_MADE = 'No draft was made.'

/** Reads a link. @throws AppFailure `invalid`: nothing of it may be used. */
export function readDraftLink(link: string): DraftLink {
  if (link.length > MAX_LINK_LENGTH) refuse('This link is too long.')
  const url = URL.parse(link)
  const isPlain = url?.protocol === 'countersign:' && !url.username && !url.password && !url.port && !url.hash
  if (!url || !isPlain) refuse('This link isn’t one that Countersign can read.')
  if (url.host !== 'draft' || !['', '/'].includes(url.pathname))
    refuse('This link asks for something other than a draft, which a link can’t do.')
  const read = DraftLinkShape.safeParse(membersOf(url.searchParams))
  if (!read.success) return refuse(troubleOf(read.error.issues))
  const { preset, kind } = read.data
  if ((preset === undefined) === (kind === undefined))
    refuse('This link must name either a preset or a kind, form or template.')
  return read.data
}

/** Groups the parameters: `signer2.email` belongs to the second signer. */
function membersOf(parameters: URLSearchParams): unknown {
  const members = new Map<string, string>()
  const signers = new Map<number, Map<string, string>>()
  for (const [name, value] of parameters) {
    const [, number, member] = /^signer([1-9]\d?)\.(.+)$/s.exec(name) ?? []
    const target = number === undefined ? members : getOrMake(signers, Number(number), () => new Map<string, string>())
    const known = member ?? name
    if (known === 'signers') refuse(`This link has a part that links can’t set (“signers”).`)
    if (target.has(known)) refuse(`This link says “${quoted(name)}” twice.`)
    target.set(known, value)
  }
  const listed = Array.from(signers.keys(), (_, index) => signers.get(index + 1))
  if (listed.includes(undefined)) refuse('This link leaves out a signer: they must be numbered from 1.')
  return { ...Object.fromEntries(members), signers: listed.map((signer) => Object.fromEntries(signer ?? [])) }
}

function troubleOf([issue]: readonly z.core.$ZodIssue[]): string {
  const place = issue?.path.filter((step) => typeof step === 'string' && step !== 'signers').join('.') ?? ''
  switch (issue?.code) {
    case 'unrecognized_keys':
      return `This link has a part that links can’t set (“${quoted(issue.keys[0] ?? '')}”).`
    case 'invalid_format':
      return `This link has hidden characters in “${quoted(place)}”.`
    case 'too_big':
      return issue.origin === 'array'
        ? 'This link has too many signers.'
        : `“${quoted(place)}” in this link is too long.`
    default:
      return `“${quoted(place)}” in this link has a value that Countersign doesn’t know.`
  }
}

/** Shortens outside text, and replaces every character that could be misread. */
function quoted(name: string): string {
  return shortened(name.replace(/[^\p{L}\p{N} ._-]/gu, '?'), 40)
}

function refuse(message: string): never {
  fail('invalid', message, { next: NOTHING_MADE })
}

/** Returns what a person is shown before they agree. */
export function askedDraft({ preset, kind, name, reference, clientReference, signers }: DraftLink): RequestedDraft {
  return {
    preset,
    kind,
    name,
    reference,
    clientReference,
    signers: signers.map(
      ({ firstName, middleName, lastName, email, mobileCountry, mobileNumber, clientReference }) => ({
        name: [firstName, middleName, lastName].filter(Boolean).join(' '),
        details: [email, [mobileCountry, mobileNumber].filter(Boolean).join(' '), clientReference].filter(
          Boolean
        ) as string[]
      })
    )
  }
}

/**
 * Builds the composition that the link asks for.
 * @param start the preset's composition; without it, a blank package. A preset keeps what the link doesn't mention,
 * but nothing personal of a signer in whose place the link names someone else.
 */
export function compositionOfLink(link: DraftLink, start?: Composition): Composition {
  const kind = link.kind === 'template' ? 'form-filler' : 'form-direct'
  const base = start ?? blankComposition(kind, 'link')
  const items = base.items.length > 0 ? base.items : [blankItem('link')]
  return {
    ...base,
    items: items.map((item, index) => {
      const signers = Array.from({ length: Math.max(item.signers.length, link.signers.length) }, (_, place) => {
        const was = item.signers[place] ?? blankSigner(`${item.key}-link-${place + 1}`)
        const linked = renamed(link.signers[place] ?? {}, SIGNER)
        return { ...(namesSomeoneElse({ ...was, ...linked }, was) ? withoutOwnValues(was) : was), ...linked }
      })
      // The link's details apply to the first item; its signers apply to all items.
      return { ...item, signers, ...(index === 0 && renamed(link, ITEM)) }
    })
  }
}

/** Returns what the link says, under the API reference's names, without what it doesn't mention. */
function renamed<Name extends string, Other extends string>(
  values: { readonly [Each in NoInfer<Name>]?: string | undefined },
  names: Readonly<Record<Name, Other>>
): Partial<Record<Other, string>> {
  const entries = (Object.entries(names) as [Name, Other][]).filter(([name]) => values[name] !== undefined)
  return Object.fromEntries(entries.map(([name, other]) => [other, values[name]])) as Partial<Record<Other, string>>
}
