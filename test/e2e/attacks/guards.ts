/**
 * The protections between an attack and its gain: the vocabulary of the tables, with the place of each in the sources.
 */

export interface GuardWords {
  /** A sentence for reviewers. */
  does: string
  /** Where it is implemented. */
  files: readonly string[]
}

export const guards = {
  link: {
    does: 'A signer’s link is checked before anything is loaded, and again by the view that would load it: https only, no credentials, no private host. The practice service’s own origin is the one exception, in a practice account.',
    files: ['src/main/core/policy/signing-address.ts', 'src/main/shell/signing-view.ts']
  },
  ground: {
    does: 'Every navigation of every frame is decided before it is made: whole origins are compared with an allow-list, and anything not clearly on it is refused. Three events trigger the check: the page’s own navigation, that of its frames, and redirects.',
    files: ['src/main/core/policy/navigation.ts', 'src/main/shell/session-policy.ts', 'src/main/shell/signing-view.ts']
  },
  request: {
    does: 'The same decision is made on the network for each request and each hop of a redirect, before it leaves. Content may come from any public host over https, and none over http.',
    files: ['src/main/core/policy/navigation.ts', 'src/main/shell/signing-session.ts']
  },
  private: {
    does: 'Hosts in private networks are refused by address, however it is written, by name, and by the address that a public name resolves to.',
    files: ['src/main/core/policy/private-networks.ts', 'src/main/shell/signing-session.ts']
  },
  policy: {
    does: 'Policies are added to the page’s own: no plug-ins, no dialogs of its own, and no script of it, in a worker or out of one, speaks to anything but the page’s own ground: sockets of shared workers and WebTransport are no requests that the network’s guard sees.',
    files: ['src/main/core/policy/page-policy.ts', 'src/main/shell/signing-session.ts']
  },
  return: {
    does: 'The return address is compared as a whole (origin and path), caught in the page’s main frame before it is loaded, and only ends the view. The service is asked whether the document is signed.',
    files: ['src/main/core/policy/navigation.ts', 'src/main/shell/signing-view.ts']
  },
  windows: {
    does: 'No window is ever opened; an address meant for a new window is checked like any other and loaded in place, or not at all.',
    files: ['src/main/shell/session-policy.ts', 'src/main/shell/signing-view.ts']
  },
  permissions: {
    does: 'Every permission is denied, both when it is requested and when it is only queried; no device is ever chosen.',
    files: ['src/main/core/policy/permissions.ts', 'src/main/shell/session-policy.ts']
  },
  media: {
    does: 'Camera and microphone are granted to documents of the service’s own origin only, in a turn that asks for them, after staff agree, and not beyond the turn.',
    files: ['src/main/core/policy/permissions.ts', 'src/main/shell/signing-view.ts']
  },
  'camera test': {
    does: 'Our own page gets the camera, and nothing else, only while it shows staff a picture to test it by; the microphone and the page of the second display never do.',
    files: ['src/main/core/counter/camera-test.ts', 'src/main/shell/app-protocol.ts']
  },
  downloads: {
    does: 'Every download is prevented before a byte of it is on disk.',
    files: ['src/main/shell/session-policy.ts']
  },
  hold: {
    does: 'The page is controlled over the browser’s debugger connection before anything of it is loaded: a file dialog is cancelled, printing does nothing, a service worker doesn’t answer instead of the network, and a page whose turn needs no camera can’t call other computers. One whose turn does gets the camera that the office chose, and nothing of what chooses it. A page that escapes this control is ended.',
    files: ['src/main/shell/isolated-page.ts', 'src/main/shell/preferred-camera.ts']
  },
  given: {
    does: 'Where the office allows it, a page that asks for a file gets the one that the person gives, of those that staff opened for the turn: a copy under the same name, put into the very field that asked, if that is still one for a file in a document on the ground. No dialog is shown, no folder is given, and the copy ends with the turn.',
    files: ['src/main/shell/file-field.ts', 'src/main/core/counter/turn-files.ts']
  },
  switches: {
    does: 'What Chromium would send by itself, where no guard of requests sees it, is switched off before it starts: reports of policies and of failed requests; HTTP/3, which an answer can lead to any host and port; and HTTP/2, whose early hints open lines to anywhere.',
    files: ['src/main/shell/session-policy.ts']
  },
  'one process': {
    does: 'A frame that a page shuts off stays in the page’s own process, so that the hold is on it before its scripts begin.',
    files: ['src/main/shell/session-policy.ts']
  },
  preferences: {
    does: 'The page runs in the sandbox, without a preload, without Node, plug-ins, web views, dialogs, spell-checker or navigation by drag and drop.',
    files: ['src/main/shell/signing-contents.ts']
  },
  session: {
    does: 'A session in memory, which no one else has at the same time, and which is wiped at the end of the turn: storage, cookies, cache, log-ins, connections.',
    files: ['src/main/shell/signing-session.ts']
  },
  view: {
    does: 'The page lies in a rectangle that we set, over a window whose frame, title and keys are ours; when covered, it is out of sight, silent and without the keyboard.',
    files: ['src/main/shell/signing-view.ts']
  },
  end: {
    does: 'A turn ends when we end it, whatever its page does: it is closed without being asked, and killed if it doesn’t close. A page that ends or hangs leads to a screen with a way on.',
    files: ['src/main/shell/signing-view.ts', 'src/main/shell/signing-words.ts']
  },
  'own page': {
    does: 'Our pages come from our own scheme, out of one folder, read-only, with a content security policy that allows only themselves and lets no text become markup; they go nowhere and open nothing. Their session reaches no network at all, and what could call other computers past it is taken from them.',
    files: [
      'src/main/shell/app-protocol.ts',
      'src/main/core/policy/app-pages.ts',
      'src/main/shell/own-page.ts',
      'src/preload/index.ts'
    ]
  },
  bridge: {
    does: 'The bridge of our own pages has a function for each request of the contract and nothing else; each request’s sender is checked and its input decoded by a schema before its handler runs.',
    files: ['src/preload/index.ts', 'src/main/ipc/registration.ts']
  },
  organisation: {
    does: 'What the organisation’s policy sets is changed by no request: each is asked what it would change before its handler runs.',
    files: ['src/main/ipc/registration.ts', 'src/main/ipc/organisation.ts']
  },
  'second display': {
    does: 'The page of the second display may make the requests of a person who signs, and no other; for none of them may it name an account.',
    files: ['src/main/ipc/registration.ts', 'src/shared/contract/requests.ts']
  },
  'own receipt': {
    does: 'A receipt is given to the page that the person has, of the session that is shown and of nobody but them, once the service was asked about all that they sign there.',
    files: ['src/main/core/counter/counter.ts', 'src/main/ipc/counter.ts']
  },
  receipt: {
    does: 'What a receipt says of others is text, whatever it holds: markup is written out, and what can’t be seen and turns or breaks a line is left out.',
    files: ['src/main/core/receipts/receipt-words.ts', 'src/main/core/receipts/receipt-page.ts']
  },
  paper: {
    does: 'The page that a receipt is drawn from goes nowhere, runs nothing and loads nothing but its two fonts, by a policy of its own.',
    files: ['src/main/shell/page-printer.ts']
  },
  seal: {
    does: 'A receipt’s file is signed as a whole, in one way of writing it: a byte that was changed, left out or added anywhere is found.',
    files: ['src/main/core/receipts/sealed-pdf.ts', 'src/main/core/audit/signature.ts']
  },
  calendar: {
    does: 'A file of appointments is opened within limits of size, lines, parts and depth, and refused if it changes as it is read; each event is judged by itself: its text is one line of plain text, its time is in a zone that is known, its series has an end.',
    files: [
      'src/main/core/appointments/appointment-files.ts',
      'src/main/core/appointments/calendar-file.ts',
      'src/main/core/appointments/found.ts'
    ]
  },
  cells: {
    does: 'A cell of a file for spreadsheets that would be run as a formula has an apostrophe before it, also where the office’s list separator is another.',
    files: ['src/main/core/bulk/table-file.ts']
  },
  'asked first': {
    does: 'A link or a file that is opened from outside is read whole, against a schema that knows only who signs what, or not at all; a person sees what is in it and agrees before anything is kept. Nothing is sent by it.',
    files: ['src/main/core/drafts/draft-link.ts', 'src/main/core/drafts/from-outside.ts']
  },
  'sealed file': {
    does: 'A backup or an enrolment file names the one way that we know of making its key, within limits that are checked before it is made. What it begins with is bound into each of its parts, and each part to its place and to whether it is the last.',
    files: ['src/main/core/backup/sealed-file.ts']
  },
  'backup checked': {
    does: 'What a backup holds is written beside what is there, under two names alone, compared with the length and hash that it gives, and looked through whole: pages, version, tables, triggers and what belongs to what. Only then is a person asked. What waited to be sent is looked for at the service first.',
    files: ['src/main/core/backup/restore.ts', 'src/main/core/backup/backup.ts']
  },
  'decided before': {
    does: 'What a start puts in place or removes before anything is opened stands in a small file of ours, whole or not at all; the names in it fit patterns that lead nowhere else, and what couldn’t be removed is said.',
    files: ['src/main/core/backup/restore.ts', 'src/main/core/backup/removal.ts']
  },
  'identity kept': {
    does: 'An identity document at the counter is compared with the signer by main, whatever the page says came of it. Of the document main keeps no more than the organisation’s policy says, and not before the person is handed the screen.',
    files: ['src/main/core/counter/identity-numbers.ts', 'src/main/core/counter/prepare-session.ts']
  },
  'settings file': {
    does: 'A settings file is read within limits and whole, against a schema that knows no secret and nothing that belongs to one computer, or not at all. An account that is here under its name stays where it leads; what the organisation has set, or an administrator has locked, is left alone. What it would change is shown first, and only that is done.',
    files: [
      'src/main/core/settings-file/settings-file.ts',
      'src/main/core/settings-file/importing.ts',
      'src/main/core/storage/chosen-file.ts',
      'src/main/ipc/settings-file.ts'
    ]
  },
  'recovery key': {
    does: 'What a recovery key opens is taken only if it opens the database that is there; few are tried. An organisation’s key must be public and long, and what was made for another one is removed.',
    files: ['src/main/core/backup/recovery-keys.ts', 'src/main/core/storage/sealed-key.ts']
  },
  enrolment: {
    does: 'An enrolment file gives a secret only to an account that it makes, or to one of its name, address and way of signing in that has none: as it is read, and once more before anything is kept.',
    files: ['src/main/ipc/enrolment.ts']
  },
  'policy place': {
    does: 'The policy is a regular file in one place that no variable or switch changes once the application is packed, small, of an administrator, and whole while it is read; or what the system’s own management sets where an administrator alone can, and then nothing else.',
    files: [
      'src/main/core/organisation/policy-file.ts',
      'src/main/core/organisation/managed.ts',
      'src/main/core/organisation/organisation.ts'
    ]
  },
  'policy reading': {
    does: 'A policy is followed as a whole or not at all: a name that isn’t known, a value that can’t be, a name that stands twice or a contradiction refuses all of it.',
    files: [
      'src/main/core/organisation/reading.ts',
      'src/main/core/organisation/contradictions.ts',
      'src/main/core/organisation/json-positions.ts',
      'src/main/core/organisation/managed.ts',
      'src/main/core/organisation/managed-settings.ts',
      'src/main/core/accounts/credentials.ts',
      'src/main/core/policy/allowed-origins.ts'
    ]
  },
  'last policy': {
    does: 'A policy that is gone or can’t be used loosens nothing: the last one holds, and where there never was one, nothing that a policy could lock can be changed.',
    files: ['src/main/core/organisation/organisation.ts']
  },
  'own authorities': {
    does: 'An authority that the policy names vouches only for what a browser would believe of it: name, dates, purpose, length of the path, names that it may vouch for, and keys and signatures that aren’t weak.',
    files: ['src/main/core/service/own-authorities.ts']
  },
  'client certificate': {
    does: 'A certificate of the system’s is shown to the host and port that it was chosen for, over an encrypted line, and to no other; only one of the same owner and issuer takes its place.',
    files: ['src/main/core/accounts/client-certificates.ts']
  },
  'proxy sign-in': {
    does: 'What a proxy is signed in to with goes to that proxy alone, once until it is known to be right, and never to a website that asks by the same means.',
    files: ['src/main/core/service/proxy-sign-in.ts']
  },
  'only encrypted': {
    does: 'A service is reached by https alone, but on this computer and at hosts that the policy names by their whole names.',
    files: ['src/main/core/accounts/credentials.ts']
  },
  'update signed': {
    does: 'What a feed says of a release is believed only with the signature, over all of its bytes, of the publisher that the policy names; it is small, and of a known shape.',
    files: ['src/main/core/updates/feed.ts']
  },
  'update package': {
    does: 'A package is taken only under the one name that is this computer’s, with the length and hash that its publisher signed: as it comes, and once more before it is installed.',
    files: ['src/main/core/updates/feed.ts', 'src/main/core/updates/package-updater.ts']
  },
  'update feed': {
    does: 'Redirects stay with the feed’s own server, or lead from GitHub to its storage, and are few; a feed that says nothing is given up. What is asked says nothing of who asks.',
    files: ['src/main/core/updates/feed.ts']
  },
  'update newer': {
    does: 'No version is taken that isn’t newer than this one, none that was published before one that the feed has offered, and no test version unless the policy wants them.',
    files: [
      'src/main/core/updates/feed.ts',
      'src/main/core/updates/package-updater.ts',
      'src/main/core/updates/updates.ts'
    ]
  },
  'update waits': {
    does: 'Nothing is downloaded, offered or installed while someone signs, a package is sent or a file is fetched, where a person has to be asked and wasn’t, or from a feed that the policy no longer names.',
    files: ['src/main/core/updates/updates.ts']
  },
  browser: {
    does: 'A rule of the browser itself, which we only leave switched on. The row is here so that we notice if that ever changes.',
    files: []
  }
} as const satisfies Record<string, GuardWords>

export type Guard = keyof typeof guards
