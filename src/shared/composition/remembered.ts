/** The fields whose values this office is offered again, and what each is called where they are kept. */

/** Fields of a package or a signer whose values are nobody's personal data. */
const REMEMBERED_FIELDS = [
  'SignerType',
  'EmployerReference',
  'InvitationEmailTemplateReference',
  'ReturnUrl',
  'NotifyUrl',
  'IDData.Label'
] as const
export type RememberedField = (typeof REMEMBERED_FIELDS)[number]

/** Where the choices of a template's drop-down list or radio button are kept. Texts and dates are personal: never kept. */
export function rememberedChoice(templateReference: string, fieldReference: string): string {
  return `Choice ${JSON.stringify([templateReference, fieldReference])}`
}
