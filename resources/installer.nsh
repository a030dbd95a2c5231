# What Electron writes for the user who has seen a notice, so that Windows shows it and finds who answers a click on it: an entry of their
# own in the Start menu, beside the installer's for all users, and a key in the registry. It would stay behind.
# Only for the user who removes Countersign: for others of this computer see docs/administration.md.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    SetShellVarContext current
    Delete "$SMPROGRAMS\${PRODUCT_NAME}.lnk"
    DeleteRegKey HKCU "Software\Classes\CLSID\{25DD9B6F-AC50-4F10-9396-6062CA646E0F}"
    ${if} $installMode == "all"
      SetShellVarContext all
    ${endif}
  ${endif}
!macroend
