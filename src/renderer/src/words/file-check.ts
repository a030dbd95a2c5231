/**
 * The results of checking an audit trail's export or a receipt, in words: for the audit trail's screen and the counter.
 */
import type { AuditFileCheck } from '../../../shared/contract/views.ts'
import { counted } from '../../../shared/counted.ts'
import { capital } from './counts.ts'
import { momentInWords } from './dates.ts'

export interface CheckWords {
  kind: 'ok' | 'warn' | 'danger'
  title: string
  more: string
  /** Self-contained sentences. */
  items?: string[]
}

export function fileCheckWords(check: AuditFileCheck): CheckWords {
  if (check.receipt) return receiptCheckWords(check, check.receipt)
  const { label, verdict, key, entries = 0, exportedAt = '', bytes, near, isInTrail } = check
  if (verdict === 'unsigned') {
    const more = `There is no “${label}.signature” beside it. Put both files in one folder, then check again.`
    return { kind: 'warn', title: `“${label}” has no signature.`, more }
  }
  if (verdict === 'signature') {
    const more = `“${label}.signature” isn’t a signature made by Countersign, or was changed.`
    return { kind: 'danger', title: `The signature of “${label}” isn’t valid.`, more }
  }
  const signer = signerWords(key)
  if (verdict === 'changed' && bytes) {
    const from = bytes.from.toLocaleString('en-GB')
    const to = bytes.to.toLocaleString('en-GB')
    return {
      kind: 'danger',
      title: `“${label}” was changed.`,
      more: `${changedWhere(near)} (bytes ${from} to ${to}). ${signer}`
    }
  }
  const held = `${capital(counted(entries, ['# entry', '# entries']))}, exported ${exportedOn(exportedAt)}.`
  const here =
    key?.isOurs && isInTrail === false
      ? 'This computer’s own trail no longer has its newest entry: keep this file, and tell your administrator.'
      : ''
  return {
    kind: key?.isOurs && !here ? 'ok' : 'warn',
    title: `“${label}” is as it was exported.`,
    more: [held, signer, here].filter(Boolean).join(' ')
  }
}

function signerWords(key: AuditFileCheck['key']): string {
  return key?.isOurs
    ? 'Signed by this computer.'
    : `Signed with another key: ${key?.fingerprint ?? ''}. Compare it with the fingerprint noted at the computer it came from.`
}

/** Describes the result of checking a receipt: whether it is ours, unchanged, and matches the audit trail. */
function receiptCheckWords(check: AuditFileCheck, receipt: NonNullable<AuditFileCheck['receipt']>): CheckWords {
  const { label, verdict, key, bytes, exportedAt = '', isInTrail } = check
  const { number = '', replacedBy } = receipt
  if (verdict === 'unsigned') {
    const more =
      'It has no Countersign signature at its end: it’s a different PDF, or another program printed or saved it again.'
    return { kind: 'warn', title: `“${label}” isn’t a signed receipt.`, more }
  }
  const where = bytes
    ? `It differs at bytes ${bytes.from.toLocaleString('en-GB')} to ${bytes.to.toLocaleString('en-GB')}.`
    : ''
  if (verdict === 'signature') {
    const more = `The signature at its end isn’t valid, or was changed. ${where}`
    return { kind: 'danger', title: `The signature of “${label}” isn’t valid.`, more }
  }
  const signer = signerWords(key)
  if (verdict === 'changed') {
    const more = `Don’t rely on what it says. ${where} ${signer}`
    return { kind: 'danger', title: `“${label}” was changed.`, more }
  }
  const title = `Receipt ${number} is as it was issued.`
  const issued = `Issued ${exportedOn(exportedAt)}. ${signer}`
  if (!key?.isOurs) return { kind: 'warn', title, more: issued }
  if (!isInTrail) {
    const more = `${issued} But this computer’s audit trail doesn’t say the same: keep this file, and tell your administrator.`
    return { kind: 'warn', title, more }
  }
  if (replacedBy) {
    const more = `${issued} It matches the audit trail. Receipt ${replacedBy} replaces it, as more is known now.`
    return { kind: 'warn', title, more }
  }
  return { kind: 'ok', title, more: `${issued} It matches the audit trail on this computer.` }
}

function changedWhere(near: AuditFileCheck['near']): string {
  if (!near) return 'It isn’t the file that was exported'
  const from = near.from.toLocaleString('en-GB')
  const to = near.to.toLocaleString('en-GB')
  return near.from === near.to ? `It differs at entry ${from}` : `It differs between entries ${from} and ${to}`
}

function exportedOn(iso: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? iso : momentInWords(at)
}
