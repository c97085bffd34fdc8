#ifndef QUIRE_CBUILD_H
#define QUIRE_CBUILD_H

/// The commit that this program was built from, shortened; empty where it is unknown.
const char *_Nonnull quire_commit(void);

#endif
