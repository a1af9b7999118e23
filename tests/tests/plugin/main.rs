//! Plugin hooks: the chain where the document and its implementations disagree.

mod differences;
